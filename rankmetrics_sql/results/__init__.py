"""What an evaluation gives back, as tables, Arrow and text for people and programs."""
