import { getContainerRuntimeClient } from 'testcontainers';

/* Checks for a container engine before anything else starts, and reports the result in one line. */

try {
  const client = await getContainerRuntimeClient();
  const { containerRuntime } = client.info;
  process.stdout.write(`containers: ${containerRuntime.host}\n`);
} catch {
  process.stderr.write(
    'make test-containers: no container engine answers; start Docker or Podman, or set DOCKER_HOST\n',
  );
  process.exitCode = 1;
}
