import type { StartedDockerComposeEnvironment } from 'testcontainers';
import { DockerComposeEnvironment } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/*
 * A container engine builds and starts the compose file with every profile. The file publishes fixed ports on the
 * loopback interface, so no other Tenure may run on this machine during the test.
 */

const UP_MS = 15 * 60_000;

describe('compose.yaml', () => {
  let environment: StartedDockerComposeEnvironment;
  beforeAll(async () => {
    environment = await new DockerComposeEnvironment('.', 'compose.yaml')
      .withBuild()
      .withProfiles('ha', 'cell', 'observability')
      .withStartupTimeout(UP_MS)
      .up();
  }, UP_MS);
  afterAll(async () => {
    await environment.down({ removeVolumes: true });
  }, UP_MS);

  const get = (port: number, path: string, host = '127.0.0.1'): Promise<Response> =>
    fetch(`http://${host}:${port}${path}`);

  test.each([
    ['an api', 8080, '/readyz'],
    ['the router of size ha', 8000, '/readyz'],
    ['the web application', 8080, '/ui/'],
    ['Grafana', 3000, '/api/health'],
    ['Prometheus', 9090, '/-/ready'],
  ])('%s answers', async (_what, port, path) => {
    expect((await get(port, path)).status).toBe(200);
  });

  test('each cell answers to its own name, and no other name is answered', async () => {
    for (const cell of ['a', 'b']) {
      expect((await get(8001, '/readyz', `${cell}.localhost`)).status).toBe(200);
    }
    expect((await get(8001, '/readyz', 'localhost')).status).toBe(421);
  });

  test('Prometheus reaches every process of the first cell', async () => {
    await expect
      .poll(async () => {
        const answer = await get(9090, '/api/v1/query?query=count(tenure_build_info)');
        const { data } = (await answer.json()) as {
          data: { result: readonly { value: readonly [number, string] }[] };
        };
        return data.result[0]?.value[1];
      })
      .toBe('6');
  });

  test('Grafana has the dashboards', async () => {
    const answer = await get(3000, '/api/search?query=Tenure&type=dash-db');
    expect((await answer.json()) as unknown[]).toHaveLength(2);
  });
});
