import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { goModuleFolder } from '@keelson/e2e-control-plane';
import { linesOf } from './go-program.ts';

/** An object in the two forms that Go's encoders give it. */
export interface GoObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** With the envelope. */
  readonly protobuf: Uint8Array;
  readonly json: string;
}

/** Yields random objects of every kind, each as Go decodes it from protobuf. */
export async function* randomObjects(
  program: string,
  count: number,
  seed: number,
): AsyncGenerator<GoObject, void, undefined> {
  for await (const line of linesOf(program, 'objects', String(count), String(seed))) {
    const [apiVersion = '', kind = '', base64 = ''] = line.split(' ', 3);
    const json = line.slice(`${apiVersion} ${kind} ${base64} `.length);
    yield { apiVersion, kind, protobuf: Buffer.from(base64, 'base64'), json };
  }
}

/** Yields the objects with which Kubernetes tests its own encoders, one of each kind with every field set. */
export async function* testObjects(): AsyncGenerator<GoObject, void, undefined> {
  const folder = join(await goModuleFolder('k8s.io/api'), 'testdata', 'HEAD');
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.pb'))) {
    const [, group = '', version = '', kind = ''] = /^(.+)\.(v\w+)\.(\w+)\.pb$/.exec(name) ?? [];
    const protobuf = await readFile(join(folder, name));
    const json = await readFile(join(folder, name.replace(/pb$/, 'json')), 'utf8');
    yield { apiVersion: group === 'core' ? version : `${group}/${version}`, kind, protobuf, json };
  }
}

/** Yields the objects that a table must decode before it is written. Only random ones lack members. */
export async function* checkedObjects(program: string): AsyncGenerator<GoObject, void, undefined> {
  yield* testObjects();
  yield* randomObjects(program, 5, 1);
}
