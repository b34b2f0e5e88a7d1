"""Code shared by convert-gpu-to-nvvm and convert-gpu-to-rocdl."""
