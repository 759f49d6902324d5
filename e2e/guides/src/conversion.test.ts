import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { createManager, type Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { silent } from './testing/fixtures.test-support.ts';

// #region round-trips
import { roundTrips } from '@keelson/schema/testing';
import { timers } from './timer.ts';

test('no conversion of a Timer loses data', () => {
  roundTrips(timers);
});
// #endregion

describe('docs/guides/conversion.md', () => {
  test('the snippet of kept fields restores them', () => {
    expect(read.spec).toEqual({ every: '90s' });
    expect(read.metadata?.annotations).toEqual({
      'ops.example.com/kept-fields': '{"v1":[{"path":["spec","note"],"value":"tea"}]}',
    });
    expect(stored.spec).toEqual({ seconds: 300, note: 'tea' });
    expect(stored.metadata).toEqual({ name: 'tea' });
  });

  test('the API server of a test converts by the manager', async () => {
    await using environment = await createTestEnvironment();
    const certificate = await selfSignedCertificate();
    const operator = createManager({
      cluster: environment.admin.cluster,
      servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
      logger: silent,
      stopSignals: [],
    });
    serveConversion(operator);
    expect(() => serveConversion(operator)).toThrow('webhook=timers.ops.example.com');
    const running = operator.start();
    await operator.started;
    // #region test
    const url = `https://127.0.0.1:${operator.ports.webhook}`;
    await environment.installWebhooks([timers.crd], { url, ca: certificate.cert });
    const { client } = operator;
    const { v1, v1beta1 } = timers.versions;
    const name = { namespace: 'default', name: 'tea' };
    await client.create(v1.resource, { metadata: name, spec: { seconds: 90, note: 'tea' } });
    const body = { spec: { every: '5m' } };
    await client.patch(v1beta1.resource, name, { type: 'merge', body });
    expect((await client.get(v1.resource, name)).spec).toEqual({ seconds: 300, note: 'tea' });
    // #endregion
    await operator.stop();
    await running;
  });
});

// #region keep
const tea = timers.parse({ metadata: { name: 'tea' }, spec: { seconds: 90, note: 'tea' } });
const read = timers.convert(tea, 'v1beta1'); // spec: { every: '90s' }, and the annotation has the note
const changed = { ...read, spec: { every: '300s' } };
const stored = timers.convert(changed, 'v1'); // spec: { seconds: 300, note: 'tea' }, and no annotation
// #endregion

// #region serve
function serveConversion(operator: Manager): void {
  operator.addConversion(timers);
}
// #endregion
