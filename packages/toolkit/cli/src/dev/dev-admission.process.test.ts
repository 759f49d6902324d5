import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import { DevProcess, OperatorProject } from './operator-project.test-support.ts';

const webhookModule = `import { defineWebhook, deny } from '@keelson/manager/webhooks';
import { website } from './website.ts';

export const validation = defineWebhook({
  name: 'website',
  resource: website.resource,
  validate: ({ object }) => (object.spec.host === 'bad' ? deny('bad host') : undefined),
});
`;

const policyModule = `import { definePolicy } from '@keelson/schema';
import { website } from './website.ts';

export const policy = definePolicy({
  name: 'hosts.websites.shop.example',
  resource: website,
  rules: [{ cel: "!has(object.spec.host) || object.spec.host != 'worse'", message: 'worse host' }],
});
`;

const mainModule = `import { createManager } from '@keelson/manager';
import { validation } from './webhook.ts';

const operator = createManager({
  servers: { webhook: { port: Number(process.env['WEBHOOK_BIND_PORT']), tls: 'self-signed', shutdownDelay: 0 } },
});
operator.addWebhook(validation);
await operator.start();
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0), 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('keelson dev with webhooks and policies', () => {
  let project: OperatorProject;

  beforeEach(async () => {
    const port = await freePort();
    const webhook = { port, modules: ['src/webhook.ts'] };
    const keelson = { kinds: ['src/website.ts'], policies: ['src/policy.ts'], webhook };
    project = await OperatorProject.create({
      'package.json': JSON.stringify({ name: 'website-operator', type: 'module', keelson }),
      'src/webhook.ts': webhookModule,
      'src/policy.ts': policyModule,
      'src/main.ts': mainModule,
    });
  });

  afterEach(() => project[Symbol.asyncDispose]());

  /** Applies an object in the namespace of the operator, and resolves with the errors. */
  async function apply(kubeconfig: string, name: string, host: string): Promise<string> {
    const object = { apiVersion: 'shop.example/v1', kind: 'Website', metadata: { name } };
    await project.write('website.json', JSON.stringify({ ...object, spec: { host } }));
    const { terminal, err } = recordingTerminal();
    const file = `${project.folder}/website.json`;
    await runProgram(['apply', file, '--kubeconfig', kubeconfig], terminal, '0.0.0');
    return err();
  }

  test('reviews applied objects by the program and the policies, also after a restart and in a second session', async () => {
    await using dev = new DevProcess(project);
    const { kubeconfig } = await dev.connect();
    const address = await dev.line(/^webhooks +https:\/\/127\.0\.0\.1:\d+$/);
    expect(await apply(kubeconfig, 'a', 'good')).toBe('');
    expect(await apply(kubeconfig, 'b', 'bad')).toContain('denied the request: bad host');
    expect(await apply(kubeconfig, 'c', 'worse')).toContain('worse host');

    await using second = new DevProcess(project);
    const other = await second.connect();
    expect(await second.line(/^webhooks +https:\/\/127\.0\.0\.1:\d+$/)).not.toBe(address);
    expect(other.kubeconfig).not.toBe(kubeconfig);
    expect(await apply(other.kubeconfig, 'b', 'bad')).toContain('denied the request: bad host');
    expect(await second.end('SIGINT')).toBe(0);

    await project.write('src/webhook.ts', webhookModule.replace("'bad host'", "'no host'"));
    await dev.line(/^restarted in \d+ ms$/);
    await expectEventually(async () => (await apply(kubeconfig, 'd', 'bad')).includes('no host'));
    expect(await dev.end('SIGINT')).toBe(0);
  });
});

/** The server refuses the write while the program restarts. */
async function expectEventually(isTrue: () => Promise<boolean>): Promise<void> {
  const end = AbortSignal.timeout(60_000);
  while (!(await isTrue())) end.throwIfAborted();
}
