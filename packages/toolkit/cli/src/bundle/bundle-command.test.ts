import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { webhookServicePlaceholder } from '@keelson/schema';
import { load } from 'js-yaml';
import { definitionOf } from '../manifests/manifests.test-support.ts';
import { ProjectFolder, type Outcome } from '../manifests/project-folder.test-support.ts';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

async function bundle({ path }: ProjectFolder, ...words: readonly string[]): Promise<Outcome> {
  const { terminal, out, err } = recordingTerminal();
  const all = ['bundle', '--project', path, ...words];
  return { code: await runProgram(all, terminal, '0.0.0'), out: out(), err: err() };
}

async function read({ path }: ProjectFolder, file: string): Promise<unknown> {
  return load(await readFile(join(path, 'deploy/bundle', file), 'utf8'));
}

const csv = 'manifests/website-operator.clusterserviceversion.yaml';

describe('keelson bundle', () => {
  test('writes the ClusterServiceVersion, the definitions, the metadata and the Dockerfile', async () => {
    await using folder = await ProjectFolder.create();
    expect(await bundle(folder)).toMatchObject({ code: 0, err: '' });
    expect((await readdir(join(folder.path, 'deploy/bundle/manifests'))).toSorted()).toEqual([
      'website-operator-metrics-reader.clusterrole.yaml',
      'website-operator-metrics.service.yaml',
      'website-operator.clusterserviceversion.yaml',
      'website-operator.poddisruptionbudget.yaml',
      'websites.web.example.com.yaml',
    ]);
    expect(await read(folder, csv)).toMatchObject({
      apiVersion: 'operators.coreos.com/v1alpha1',
      metadata: { name: 'website-operator.v1.2.0' },
      spec: {
        displayName: 'Website Operator',
        version: '1.2.0',
        installModes: Array.from({ length: 4 }, () => ({ supported: true })),
        customresourcedefinitions: {
          owned: [{ name: 'websites.web.example.com', version: 'v1', kind: 'Website' }],
        },
        install: {
          spec: {
            deployments: [
              {
                name: 'website-operator',
                spec: {
                  replicas: 2,
                  template: {
                    spec: {
                      containers: [
                        {
                          env: [
                            {
                              name: 'WATCH_NAMESPACES',
                              valueFrom: {
                                fieldRef: {
                                  fieldPath: "metadata.annotations['olm.targetNamespaces']",
                                },
                              },
                            },
                          ],
                        },
                      ],
                    },
                  },
                },
              },
            ],
            clusterPermissions: [
              {
                serviceAccountName: 'website-operator',
                rules: expect.arrayContaining([
                  {
                    apiGroups: ['web.example.com'],
                    resources: ['websites'],
                    verbs: ['get', 'list', 'watch'],
                  },
                  expect.objectContaining({ resources: ['tokenreviews'] }),
                ]),
              },
            ],
            permissions: [
              {
                serviceAccountName: 'website-operator',
                rules: [expect.objectContaining({ resources: ['leases'] })],
              },
            ],
          },
        },
      },
    });
    expect(
      await read(folder, 'manifests/website-operator-metrics.service.yaml'),
    ).not.toHaveProperty('metadata.namespace');
    expect(await read(folder, 'metadata/annotations.yaml')).toMatchObject({
      annotations: {
        'operators.operatorframework.io.bundle.package.v1': 'website-operator',
        'operators.operatorframework.io.bundle.channels.v1': 'alpha',
      },
    });
    const text = await readFile(join(folder.path, 'deploy/bundle/bundle.Dockerfile'), 'utf8');
    expect(text).toContain('\nFROM scratch\n');
    expect(text).toContain(
      'LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1\n',
    );
  });

  test('describes webhooks and conversions, for which OLM makes certificates', async () => {
    await using folder = await ProjectFolder.create({ webhook: {} });
    const converted = definitionOf('pages', 'web.example.com', 'Page') as { spec?: object };
    const service = { ...webhookServicePlaceholder, path: '/convert/pages' };
    const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
    const spec = { ...converted.spec, conversion: { strategy: 'Webhook', webhook } };
    await folder.write('config/crd/pages.json', JSON.stringify({ ...converted, spec }));
    expect(await bundle(folder)).toMatchObject({ code: 0, err: '' });
    const version = (await read(folder, csv)) as { spec: Record<string, unknown> };
    expect(version.spec['webhookdefinitions']).toMatchObject([
      {
        type: 'ValidatingAdmissionWebhook',
        generateName: 'website-operator.web.example.com',
        deploymentName: 'website-operator',
        containerPort: 443,
        targetPort: 9443,
        webhookPath: '/validate',
        sideEffects: 'None',
      },
      {
        type: 'ConversionWebhook',
        webhookPath: '/convert/pages',
        conversionCRDs: ['pages.web.example.com'],
      },
    ]);
    expect(version.spec['installModes']).toEqual([
      { type: 'OwnNamespace', supported: false },
      { type: 'SingleNamespace', supported: false },
      { type: 'MultiNamespace', supported: false },
      { type: 'AllNamespaces', supported: true },
    ]);
    expect(JSON.stringify(version)).not.toContain('webhook-certificate');
    expect(await read(folder, 'manifests/pages.web.example.com.yaml')).not.toHaveProperty(
      'spec.conversion',
    );
    const files = await readdir(join(folder.path, 'deploy/bundle/manifests'));
    expect(files).not.toContain('website-operator-webhook.service.yaml');
  });

  test('names the channels, and refuses a default channel that is not one of them', async () => {
    await using folder = await ProjectFolder.create();
    const channels = ['--channels', 'alpha,stable'];
    expect((await bundle(folder, ...channels, '--default-channel', 'stable')).code).toBe(0);
    expect(await read(folder, 'metadata/annotations.yaml')).toMatchObject({
      annotations: {
        'operators.operatorframework.io.bundle.channels.v1': 'alpha,stable',
        'operators.operatorframework.io.bundle.channel.default.v1': 'stable',
      },
    });
    expect((await bundle(folder, ...channels, '--default-channel', 'beta')).code).toBe(2);
    expect((await bundle(folder, '--channels', 'Alpha')).code).toBe(2);
  });

  test('with --check writes nothing, and later removes its own files that are stale', async () => {
    await using folder = await ProjectFolder.create();
    expect(await bundle(folder, '--check')).toMatchObject({ code: 1, out: '' });
    await bundle(folder);
    expect(await bundle(folder, '--check')).toEqual({ code: 0, out: '', err: '' });
    const stale = await readFile(join(folder.path, 'deploy/bundle', csv), 'utf8');
    await writeFile(join(folder.path, 'deploy/bundle/manifests/old.yaml'), stale);
    expect((await bundle(folder)).out).toContain('removed manifests/old.yaml\n');
  });

  test('refuses a Role in another namespace', async () => {
    await using folder = await ProjectFolder.create();
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'other', namespace: 'kube-system' },
      rules: [],
    };
    await folder.write('config/role.yaml', JSON.stringify(role));
    const { code, err } = await bundle(folder);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: BUNDLE_UNSUPPORTED: .*kind=Role.*namespace=kube-system.*name=other/,
    );
  });
});
