import { variableOf } from '../kinds/kind-names.ts';
import type { ProjectKind } from '../kinds/project-kinds.ts';
import { literalOf } from '../source/literal-of.ts';

/** Whether a webhook refuses objects or changes them. */
export type WebhookSort = 'validation' | 'defaults';

/** The names in the code of a webhook. */
export interface WebhookNames {
  /** The name of the webhook and of its file, such as `order-validation`. */
  readonly name: string;
  /** The constant of its declaration, such as `orderValidation`. */
  readonly constant: string;
}

export function webhookNames({ kind }: Pick<ProjectKind, 'kind'>, sort: WebhookSort): WebhookNames {
  const suffix = sort === 'validation' ? 'Validation' : 'Defaults';
  return { name: `${kind.toLowerCase()}-${sort}`, constant: `${variableOf(kind)}${suffix}` };
}

/** The module of the webhook server of an operator. */
export function webhookServerCode(port: number): string {
  return `import { existsSync } from 'node:fs';

// \`keelson manifests\` mounts the certificate there. Without it, as in \`keelson dev\`, the server issues its own.
const certificates = '/tmp/k8s-webhook-server/serving-certs';
const files = { cert: \`\${certificates}/tls.crt\`, key: \`\${certificates}/tls.key\` };

/** The server that the API server calls. \`keelson dev\` chooses another port if this one is in use. */
export const webhookServer = {
  port: Number(process.env['WEBHOOK_BIND_PORT'] ?? ${port}),
  tls: existsSync(certificates) ? files : 'self-signed',
} as const;
`;
}

/** The module of a webhook, with a rule that fits every kind. */
export function webhookCode(
  { kind }: Pick<ProjectKind, 'kind'>,
  sort: WebhookSort,
  { kindModule, operator }: { readonly kindModule: string; readonly operator: string },
): string {
  const { name, constant } = webhookNames({ kind }, sort);
  return sort === 'validation'
    ? `import { defineWebhook, deny } from '@keelson/manager/webhooks';
import { ${kind} } from '${kindModule}';

/** A name of this length can be the value of a label. */
const MAX_NAME_LENGTH = 63;

/** The API server asks this webhook before it stores an object. \`keelson manifests\` registers it. */
export const ${constant} = defineWebhook({
  name: '${name}',
  resource: ${kind},
  validate({ object }) {
    const { name = '' } = object.metadata ?? {};
    if (name.length <= MAX_NAME_LENGTH) return undefined;
    const message = \`must have at most \${MAX_NAME_LENGTH} characters\`;
    return deny(\`metadata.name \${message}\`, { causes: [{ field: 'metadata.name', message }] });
  },
});
`
    : `import { defineWebhook } from '@keelson/manager/webhooks';
import { ${kind} } from '${kindModule}';

/** The API server lets this webhook change an object before it stores it. \`keelson manifests\` registers it. */
export const ${constant} = defineWebhook({
  name: '${name}',
  resource: ${kind},
  mutate({ object }) {
    object.metadata ??= {};
    object.metadata.labels ??= {};
    object.metadata.labels['app.kubernetes.io/managed-by'] ??= '${operator}';
  },
});
`;
}

/** The test of a webhook: an API server in memory calls it. */
export function webhookTestCode(
  { kind, scope }: Pick<ProjectKind, 'kind' | 'scope'>,
  sort: WebhookSort,
  {
    kindModule,
    operator,
    crds,
    spec,
  }: {
    readonly kindModule: string;
    readonly operator: string;
    /** The folder of CRD files. */
    readonly crds: string;
    readonly spec: object;
  },
): string {
  const { name, constant } = webhookNames({ kind }, sort);
  const namespace = scope === 'Namespaced' ? `namespace: 'default', ` : '';
  const object = `spec: ${literalOf(spec)}`;
  const body =
    sort === 'validation'
      ? `test('the webhook ${name} refuses a name of 64 characters', async () => {
  const metadata = { ${namespace}name: 'a'.repeat(64) };
  await assert.rejects(
    client.create(${kind}, { metadata, ${object} }),
    /denied the request: metadata.name must have at most 63 characters/,
  );
});
`
      : `test('the webhook ${name} labels a new object', async () => {
  const metadata = { ${namespace}name: 'labelled' };
  const made = await client.create(${kind}, { metadata, ${object} });
  assert.equal(made.metadata.labels?.['app.kubernetes.io/managed-by'], '${operator}');
});
`;
  return `import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { createClient, createLogger, createManager } from '@keelson/manager';
import type { Client, Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { webhookConfigurations } from '@keelson/manager/webhooks';
import { ${constant} } from './${name}.ts';
import { ${kind} } from '${kindModule}';

let environment: TestEnvironment;
let client: Client;
let operator: Manager;
let running: Promise<void>;

before(async () => {
  environment = await createTestEnvironment({ use: 'memory' });
  await environment.installCrds([${literalOf(crds)}]);
  const { cluster } = environment.admin;
  client = createClient({ cluster });
  const certificate = await selfSignedCertificate();
  operator = createManager({
    cluster,
    servers: { webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
  });
  operator.addWebhook(${constant});
  running = operator.start();
  await Promise.race([operator.started, running]);
  const service = { namespace: '${operator}', name: '${operator}' };
  const configurations = webhookConfigurations([${constant}], { name: '${operator}', service });
  const url = \`https://127.0.0.1:\${operator.ports.webhook}\`;
  await environment.installWebhooks(configurations, { url, ca: certificate.cert });
});

after(async () => {
  await operator?.stop();
  await running;
  await client?.close();
  await environment?.stop();
});

${body}`;
}
