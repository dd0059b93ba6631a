"""The results of questions, as tables, Arrow and text for people and programs."""
