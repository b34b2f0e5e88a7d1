"""Dialect conversion: conversion driver, greedy driver, types, descriptors, and builders of llvm ops."""
