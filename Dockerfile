# The image of WikiWhy. docs/docker.md describes how to build and run it. `make image-check` runs these steps without an engine.

# A copy of this image in a registry of your own works as well. Both stages need the same image, because the virtual
# environment points to the first stage's Python.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# 1: install the packages of the bge models (FlagEmbedding and PyTorch, some GB). 0: leave them out.
ARG BGE=1
# pip reads these two from its environment. Empty: pip's default. The build's records show them, so put an address with
# a password into the secret `pip` (a pip.conf).
ARG PIP_INDEX_URL=""
ARG PIP_EXTRA_INDEX_URL=""
# An index of PyTorch builds, for example those for the CPU. Empty: the default build, which may bring CUDA.
ARG TORCH_INDEX_URL=""
ENV PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src

# Dependencies are installed before the sources are copied, so a change of the sources does not rebuild these layers.
COPY pyproject.toml requirements.txt requirements-bge.tx[t] ./
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=pip,target=/etc/pip.conf \
    python3 -m venv /opt/venv; \
    pip install --require-hashes -r requirements.txt

# Install bge from its lock file if there is one, otherwise from the extra. The lock contains hashes of the default PyTorch
# builds: with another index only its versions apply.
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=pip,target=/etc/pip.conf \
    case "$BGE" in 0) exit 0 ;; 1) ;; *) echo "BGE is 0 or 1, not $BGE" >&2; exit 1 ;; esac; \
    if [ -z "$TORCH_INDEX_URL" ] && [ -f requirements-bge.txt ]; then \
      exec pip install --require-hashes -r requirements-bge.txt; \
    fi; \
    sed -E '/^ +--hash/d; s/ \\$//' requirements*.txt | sort -u > /tmp/versions.txt; \
    python3 -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bge"], sep="\n")' > /tmp/bge.txt; \
    [ -z "$TORCH_INDEX_URL" ] || pip install --index-url "$TORCH_INDEX_URL" --constraint /tmp/versions.txt torch; \
    pip install --constraint /tmp/versions.txt --requirement /tmp/bge.txt

# .dockerignore admits only the packages with migrations/ and prompts/. The model's graph is built here, because a
# container with a read-only root could not store it. It is written for its owner only, so chmod lets any user read it.
COPY . .
RUN pip install --no-cache-dir --no-index --no-deps --no-build-isolation .; \
    XDG_CACHE_HOME=/opt/cache python3 -Ic 'from adapters.embedding.cache_folder import find_cache_folder; from adapters.embedding.e5 import GraphEngine; from adapters.embedding.weights import find_installed_weights; GraphEngine(find_installed_weights(), find_cache_folder())'; \
    chmod -R a+rX /opt/cache


FROM ${PYTHON_IMAGE}
ARG REVISION=""
LABEL org.opencontainers.image.title="WikiWhy" \
      org.opencontainers.image.description="Answers questions from a team's Confluence, cites the exact place, and shows which sources an answer really rests on." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0"

# The number never changes, so that volumes keep their owner. A named volume takes its owner and mode from this folder.
RUN groupadd --gid 10001 wikiwhy \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin wikiwhy \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/cache /opt/cache

# Everything is written to /data, including the weights that the bge libraries download. Only the graph in XDG_CACHE_HOME
# is read from where it was built.
ENV PATH=/opt/venv/bin:$PATH \
    WIKIWHY_DATA_DIR=/data \
    WIKIWHY_HOST=0.0.0.0 \
    WIKIWHY_PORT=8080 \
    HOME=/data \
    XDG_CACHE_HOME=/opt/cache \
    HF_HOME=/data/cache/huggingface \
    SQLITE_TMPDIR=/data \
    OMP_WAIT_POLICY=passive \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /data
VOLUME ["/data"]
USER 10001:10001

# As process 1, Python handles SIGINT and shuts down cleanly, but ignores SIGTERM.
STOPSIGNAL SIGINT
EXPOSE 8080
# For the server. A container that runs another command fails this check, but does not live long.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python3", "-c", "from http.client import HTTPConnection as C; c = C('127.0.0.1', 8080); c.request('GET', '/healthz'); exit(c.getresponse().status != 200)"]
ENTRYPOINT ["wikiwhy"]
CMD ["serve"]
