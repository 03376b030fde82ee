"""What is shown of a converted function as a page, and in notebooks?"""
