"""What convert-gpu-to-nvvm and convert-gpu-to-rocdl share."""
