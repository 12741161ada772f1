# WikiWhy as a container. How to build and run it: docs/docker.md. `make image-check` runs these steps without an engine.

# A copy of this image in a registry of your own serves as well. Both stages need the same one: the virtual environment
# points to the first stage's Python.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# With the bge models (FlagEmbedding and PyTorch, some GB), unless 0.
ARG BGE=1
# Empty: where pip looks by default. pip reads the first two from its environment. They show in the build's records: an
# address with a password belongs in the secret `pip` (a pip.conf).
ARG PIP_INDEX_URL=""
ARG PIP_EXTRA_INDEX_URL=""
# An index of PyTorch builds for the CPU; without it, the default build for this platform, which may bring CUDA.
ARG TORCH_INDEX_URL=""
ENV PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src

# Dependencies come before the sources, so that a change of the sources leaves these layers as they are.
COPY pyproject.toml requirements.txt requirements-bge.tx[t] ./
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=pip,target=/etc/pip.conf \
    python3 -m venv /opt/venv; \
    pip install --require-hashes -r requirements.txt

# With the lock file of bge if there is one, else by the extra. Hashes are those of the default PyTorch builds: with
# another index only the versions are kept.
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=pip,target=/etc/pip.conf \
    case "$BGE" in 0) exit 0 ;; 1) ;; *) echo "BGE is 0 or 1, not $BGE" >&2; exit 1 ;; esac; \
    if [ -z "$TORCH_INDEX_URL" ] && [ -f requirements-bge.txt ]; then \
      exec pip install --require-hashes -r requirements-bge.txt; \
    fi; \
    sed -E '/^ +--hash/d; s/ \\$//' requirements*.txt | sort -u > /tmp/versions.txt; \
    python3 -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bge"], sep="\n")' > /tmp/bge.txt; \
    [ -z "$TORCH_INDEX_URL" ] || pip install --index-url "$TORCH_INDEX_URL" --constraint /tmp/versions.txt torch; \
    pip install --constraint /tmp/versions.txt --requirement /tmp/bge.txt

# What .dockerignore lets in: the packages with migrations/ and prompts/, nothing else. The model's graph is built once,
# here: a container with a read-only root could not keep it. It is written for its owner only, and read by any user.
COPY . .
RUN pip install --no-cache-dir --no-index --no-deps --no-build-isolation .; \
    XDG_CACHE_HOME=/opt/cache python3 -Ic 'from adapters.embedding.cache import cache_folder; from adapters.embedding.e5 import GraphEngine; from adapters.embedding.weights import find_installed_weights; GraphEngine(find_installed_weights(), cache_folder())'; \
    chmod -R a+rX /opt/cache


FROM ${PYTHON_IMAGE}
ARG REVISION=""
LABEL org.opencontainers.image.title="WikiWhy" \
      org.opencontainers.image.description="Answers questions from a team's Confluence, cites the exact place, and shows which sources an answer really rests on." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0"

# A number that never changes, so that volumes keep their owner. A named volume takes owner and mode from this folder.
RUN groupadd --gid 10001 wikiwhy \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin wikiwhy \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/cache /opt/cache

# All that is ever written goes to /data, also what libraries keep: bge its weights.
# Only the graph in XDG_CACHE_HOME is read where it was built.
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

# Python handles SIGINT also as process 1, and ends in good order; SIGTERM would go unheard there.
STOPSIGNAL SIGINT
EXPOSE 8080
# Of the server; a container that runs another command has nothing to be asked, and does not live long.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python3", "-c", "from http.client import HTTPConnection as C; c = C('127.0.0.1', 8080); c.request('GET', '/healthz'); exit(c.getresponse().status != 200)"]
ENTRYPOINT ["wikiwhy"]
CMD ["serve"]
