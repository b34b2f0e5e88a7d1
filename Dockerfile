# For CI: `docker build -t gpuasync-lsp .`, then `docker run --rm -v "$PWD:/src" gpuasync-lsp check`.
FROM python:3.12-slim
COPY . /tmp/gpuasync-lsp
RUN pip install --no-cache-dir '/tmp/gpuasync-lsp[run]' && rm -r /tmp/gpuasync-lsp
RUN useradd --create-home user
USER user
WORKDIR /src
ENTRYPOINT ["gpuasync-lsp"]
