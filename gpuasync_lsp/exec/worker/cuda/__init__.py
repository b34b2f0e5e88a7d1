"""An NVIDIA GPU as a device, through the driver API."""
