class GpuasyncLsp < Formula
  include Language::Python::Virtualenv

  desc "Language server and command-line for asynchronous GPU code in MLIR"
  homepage "REPOSITORY"
  url "https://files.pythonhosted.org/packages/source/g/gpuasync-lsp/gpuasync_lsp-0.2.0.tar.gz"
  sha256 "HASH"
  license "Apache-2.0" => { with: "LLVM-exception" }

  depends_on "python@3.13"

  # resources: brew update-python-resources gpuasync-lsp

  def install
    virtualenv_install_with_resources
  end

  test do
    (testpath/"f.mlir").write("func.func @f() {\n  return\n}\n")
    system bin/"gpuasync-lsp", "check", "f.mlir"
  end
end
