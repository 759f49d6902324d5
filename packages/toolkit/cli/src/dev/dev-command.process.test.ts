import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import {
  DevProcess,
  kindModule,
  mainModule,
  OperatorProject,
} from './operator-project.test-support.ts';

interface Website extends KubernetesObject {
  readonly spec: { readonly host?: string; readonly pages?: unknown };
}

const website = defineResource<Website>({
  group: 'shop.example',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
});

/** Resolves when the definition of the kind contains a text. */
async function untilDefinition(client: Client, text: string): Promise<void> {
  const selection = { fieldSelector: 'metadata.name=websites.shop.example' };
  const options = { ...selection, sendInitialEvents: true, allowWatchBookmarks: true };
  for await (const event of client.watch(builtin.CustomResourceDefinition, options)) {
    if (JSON.stringify(event.object).includes(text)) return;
  }
}

describe('keelson dev', () => {
  let project: OperatorProject;

  beforeEach(async () => {
    project = await OperatorProject.create();
  });

  afterEach(() => project[Symbol.asyncDispose]());

  test('restarts an operator after changes and keeps the objects of the server', async () => {
    await using dev = new DevProcess(project);
    const { client, kubeconfig } = await dev.connect();
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    expect(await dev.line(/^export /)).toBe(`export KUBECONFIG=${kubeconfig}`);
    await dev.line(/^inspector +ws:\/\/127\.0\.0\.1:\d+\/\S+ \(chrome:\/\/inspect\)$/);

    const metadata = { namespace: 'default', name: 'a' };
    await client.create(website, { metadata, spec: {} });
    await dev.line(/^first default\/a$/);

    await project.write('src/main.ts', mainModule('second'));
    await dev.line(/^restarted in \d+ ms$/);
    await dev.line(/^second default\/a$/);

    // A syntax error ends the program only.
    await project.write('src/main.ts', 'await (;');
    await dev.line(/^The program ended \(code 1\) and starts after the next change\.$/);
    await project.write('src/main.ts', mainModule('third'));
    await dev.line(/^third default\/a$/);

    expect(await dev.end('SIGINT')).toBe(0);
    expect(existsSync(kubeconfig)).toBe(false);
  });

  test('installs changed kinds before the program starts again', async () => {
    await using dev = new DevProcess(project);
    const { client } = await dev.connect();
    await dev.line(/^inspector /);
    await client.create(website, { metadata: { namespace: 'default', name: 'a' }, spec: {} });
    await dev.line(/^first default\/a$/);

    await project.write('src/website.ts', kindModule({ pages: { type: 'integer' } }));
    await untilDefinition(client, '"pages":');
    await dev.line(/^first default\/a$/);

    // A broken kind ends the preparation only.
    await project.write('src/website.ts', 'export const website = ;');
    await dev.line(/website\.ts:1$/);
    await dev.line(/^error: DEFINITIONS_FAILED: /);
    await project.write('src/website.ts', kindModule());
    await dev.line(/^first default\/a$/);
    expect(await dev.end('SIGINT')).toBe(0);
  });

  test('installs the CRD files of a project without kind modules', async () => {
    const names = { kind: 'Page', plural: 'pages', singular: 'page' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'pages.shop.example' },
      spec: {
        group: 'shop.example',
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    await project.write('package.json', JSON.stringify({ name: 'pages', type: 'module' }));
    await project.write('src/main.ts', 'console.log("started", process.argv.slice(2).join());');
    await project.writeFolder('config/crd', { 'page.json': JSON.stringify(crd) });
    await using dev = new DevProcess(project, '--port', '0', '--', '--level', 'debug');
    const { client } = await dev.connect();
    await dev.line(/^started --level,debug$/);
    await dev.line(/^The program ended \(code 0\)/);
    await client.get(builtin.CustomResourceDefinition, { name: 'pages.shop.example' });
    await client.get(builtin.Namespace, { name: 'pages' });
    expect(await dev.end('SIGTERM')).toBe(0);
  });

  test('ends the program and removes the kubeconfig also if it is killed', async () => {
    // A program whose event loop is blocked ends too; its output is open until then.
    await project.write('src/main.ts', 'console.log("blocked"); for (;;);');
    await using dev = new DevProcess(project);
    const { kubeconfig } = await dev.connect();
    await dev.line(/^blocked$/);
    expect(await dev.end('SIGKILL')).toBe('SIGKILL');
    expect(existsSync(kubeconfig)).toBe(false);
  });

  test.each([
    [['--install-crds'], /--install-crds/],
    [['--cluster', '--port', '1'], /--port/],
    [['--port', '65536'], /65535/],
    [['--port', 'one'], /65535/],
  ])('refuses the options %j', async (words, message) => {
    const { terminal, err } = recordingTerminal();
    expect(await runProgram(['dev', ...words], terminal, '1.2.3')).toBe(2);
    expect(err()).toMatch(message);
  });

  test('fails in a folder without a project', async () => {
    const { terminal, err } = recordingTerminal();
    const words = ['dev', '--project', `${project.folder}/src`];
    expect(await runProgram(words, terminal, '1.2.3')).toBe(1);
    expect(err()).toContain('INVALID_PROJECT');
  });
});
