"""Code shared by the passes that lower kernels, such as convert-gpu-to-nvvm and convert-gpu-to-rocdl."""
