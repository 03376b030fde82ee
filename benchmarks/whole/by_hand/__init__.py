"""The same programs as somebody writes them who knows `lax`."""
