"""An NVIDIA GPU as a device, by the driver API."""
