import { writeFile } from 'node:fs/promises';
import { ProtobufFormats } from '@keelson/wire';
import { builtProgram } from './built-program.ts';
import { differenceOf } from './difference.ts';
import { checkedObjects } from './go-object.ts';
import { outputOf } from './go-program.ts';
import { fixturesPath, kindTableFile, kindTablePath } from './kind-table-file.ts';

/**
 * Writes the table of the built-in kinds and the fixtures of its tests. A table that decodes a test object wrongly is
 * not written.
 */
async function main(): Promise<number> {
  const program = await builtProgram();
  const text = await outputOf(program, 'table');
  const formats = new ProtobufFormats(text);
  let failures = 0;
  for await (const object of checkedObjects(program)) {
    const difference = differenceOf(formats, object);
    if (difference === undefined) continue;
    failures++;
    console.error(difference);
  }
  if (failures > 0) {
    console.error(`!!! the table was not written: ${failures} objects are decoded wrongly`);
    return 1;
  }
  await writeFile(kindTablePath, kindTableFile(text));
  await writeFile(fixturesPath, await outputOf(program, 'fixtures'));
  return 0;
}

process.exitCode = await main();
