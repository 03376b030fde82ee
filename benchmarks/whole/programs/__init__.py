"""Programs as one writes them for NumPy, a file each; the function with the name of its file is the way in."""
