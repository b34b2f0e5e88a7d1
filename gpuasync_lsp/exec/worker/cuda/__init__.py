"""An NVIDIA GPU as a device, over the driver API."""
