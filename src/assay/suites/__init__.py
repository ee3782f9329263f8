"""Files become suites: any format in, one model out."""
