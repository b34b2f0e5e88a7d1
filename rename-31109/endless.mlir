func.func @spin() {
  cf.br ^again
^again:
  cf.br ^again
}
