"""Where benchmark data come from: fetched from the authors, or built from raw public logs."""
