"""One file for each dialect: its record is called ``DIALECT``, the file as the dialect is. They are found by that."""
