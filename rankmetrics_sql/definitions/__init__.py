"""Everything that users choose: metrics, options, profiles, and the strings that name them. It knows no database."""
