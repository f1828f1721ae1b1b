# Dockerfile: an image with logsift, to read runs where nothing may be installed, or beside a trainer in its pod.
#
#   logsift recipe dockerfile | docker build -t logsift -
#   docker run --rm --network none -v "$PWD/runs/42:/run/42:ro" logsift /run/42
#   docker run --rm --network none -v "$PWD/runs/42:/run/42:ro" logsift report /run/42 -o - > report.md
#
# It needs no network when it runs. Without :ro it keeps its database beside the run, and a second look is quick; then the
# user of the container must be allowed to write there (--user "$(id -u):$(id -g)").
FROM python:3.12-slim AS build
RUN python -m venv /opt/logsift && /opt/logsift/bin/pip install --no-cache-dir logsift-train

FROM python:3.12-slim
COPY --from=build /opt/logsift /opt/logsift
ENV PATH=/opt/logsift/bin:$PATH XDG_CACHE_HOME=/tmp/cache
RUN useradd --uid 10001 --create-home logsift
USER 10001
WORKDIR /run
ENTRYPOINT ["logsift"]
CMD ["--help"]
