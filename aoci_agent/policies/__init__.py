"""What the model is shown: prompt layers and the conversation."""
