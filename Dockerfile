# One image for the worker, the command line and both example tool servers.
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY policies policies
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY client client
COPY examples examples
RUN python -m venv /opt/confirmo
RUN /opt/confirmo/bin/python -m pip install --no-cache-dir --disable-pip-version-check -c requirements.lock .

FROM python:3.13-slim-bookworm
RUN useradd --uid 10001 --no-create-home confirmo && install -d -o confirmo /data
COPY --from=build /opt/confirmo /opt/confirmo
ENV PATH=/opt/confirmo/bin:$PATH PYTHONUNBUFFERED=1
USER confirmo
WORKDIR /data
ENTRYPOINT ["confirmo"]
CMD ["--help"]
