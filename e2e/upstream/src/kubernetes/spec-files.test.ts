import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { kubeRs, pythonSuites } from '../clients/client-suites.ts';
import { unsuitable } from '../kubectl/unsuitable.ts';
import { skipped, specFiles } from './spec-files.ts';

const clients = [...pythonSuites, kubeRs];
const headings = new Set(['reason', 'specs that pass', 'tests that pass']);

test('docs/conformance-kubernetes.md has the specs that run and the reasons of the others', () => {
  const page = readFileSync(
    new URL('../../../../docs/conformance-kubernetes.md', import.meta.url),
    'utf8',
  );
  const rows = Array.from(page.matchAll(/^\| (?!-)(.+?) +\| (.+?) +\|$/gm), ([, one, other]) => [
    one,
    other,
  ]).filter(([, other]) => !headings.has(other ?? ''));
  expect(rows).toEqual([
    ...specFiles.map(({ file, specs }) => [`\`${file}\``, String(specs)]),
    ...skipped.map(({ name, reason }) => [name, reason]),
    ...Object.entries(unsuitable).map(([name, reason]) => [`\`${name}\``, reason]),
    ...clients.map(({ name, passes }) => [name, String(passes)]),
    ...clients.flatMap(({ leftOut }) =>
      Object.entries(leftOut).map(([name, reason]) => [`\`${name}\``, reason]),
    ),
  ]);
});

test('the version of Kubernetes is that of e2e/control-plane', () => {
  const versions = ['../../kubernetes/go.mod', '../../../control-plane/go.mod'].map((path) => {
    const text = readFileSync(new URL(path, import.meta.url), 'utf8');
    return /k8s\.io\/kubernetes (v\S+)/.exec(text)?.[1];
  });
  expect(versions[0]).toMatch(/^v/);
  expect(versions[1]).toBe(versions[0]);
});
