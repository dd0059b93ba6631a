"""What there is to choose: metrics, options, profiles, and the strings that name them. Knows no database and no SQL."""
