"""How does Python text become a tree, and a tree a function or text again?"""
