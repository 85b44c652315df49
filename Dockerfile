# One image for the worker, the MCP face, the command line and both example tool servers. Everything that is installed is
# checked against the hashes in deploy/image.
FROM python:3.13.14-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY deploy/image deploy/image
COPY policies policies
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY client client
COPY examples examples
RUN python -m venv /opt/build
RUN /opt/build/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r deploy/image/build.txt
RUN /opt/build/bin/python -m hatchling build -t wheel -d /opt/dist
RUN python -m venv /opt/confirmo
RUN /opt/confirmo/bin/python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r deploy/image/requirements.txt
RUN /opt/confirmo/bin/python -m pip install --no-cache-dir --disable-pip-version-check --no-index --no-deps --find-links /opt/dist confirmo

FROM python:3.13.14-slim-bookworm
RUN groupadd --gid 10001 confirmo && useradd --uid 10001 --gid 10001 --no-create-home confirmo && install -d -o confirmo -g confirmo /data
COPY --from=build /opt/confirmo /opt/confirmo
ENV PATH=/opt/confirmo/bin:$PATH PYTHONUNBUFFERED=1
# As a number: Kubernetes cannot tell whether a name is root.
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["confirmo"]
CMD ["--help"]
