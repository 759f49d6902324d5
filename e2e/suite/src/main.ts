import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assetsOf } from './control-plane-assets.ts';
import { runCommand } from './run-command.ts';
import { summaryOf } from './suite-report.ts';

const { values } = parseArgs({
  options: {
    /** Where Jest's JSON reports go; default a folder that is removed. */
    reports: { type: 'string' },
    /** Leave out the scripted conversation. */
    'no-fidelity': { type: 'boolean', default: false },
  },
});

/** The suite against one server; its report goes to a file of the server's name. */
async function runSuite(use: string, folder: string, assets: string): Promise<string> {
  const file = join(folder, `suite-${use}.json`);
  console.log(`\n=== the suite against: ${use}`);
  await runCommand(
    'npm',
    ['run', '--silent', 'e2e:suite', '--', '--json', `--outputFile=${file}`],
    {
      KEELSON_E2E: use,
      KUBEBUILDER_ASSETS: assets,
      KUBECTL: process.env.KUBECTL ?? join(assets, 'kubectl'),
    },
  );
  return file;
}

async function runFidelity(assets: string): Promise<boolean> {
  console.log('\n=== fidelity: one conversation with both');
  const code = await runCommand('npm', [
    'run',
    '--silent',
    'e2e:fidelity',
    '--',
    '--assets',
    assets,
  ]);
  return code === 0;
}

async function runAll(folder: string, assets: string): Promise<boolean> {
  const reports = [
    await runSuite('memory', folder, assets),
    await runSuite('binaries', folder, assets),
  ];
  const isFaithful = values['no-fidelity'] || (await runFidelity(assets));
  const { lines, passed, failed } = await summaryOf(reports);
  console.log(`\n${lines.join('\n')}`);
  if (!isFaithful) console.log('fidelity: FAILED');
  const allFailed = failed + (isFaithful ? 0 : 1);
  console.log(`${passed} passed, ${allFailed} failed`);
  return passed > 0 && allFailed === 0;
}

async function main(): Promise<boolean> {
  const assets = await assetsOf(process.env, (line) => console.log(line));
  if (assets === undefined) {
    console.log(
      '!!! SKIPPED: no Go on this machine and no KUBEBUILDER_ASSETS: no real control plane',
    );
    return true;
  }
  if (values.reports !== undefined) return runAll(values.reports, assets);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-reports-'));
  try {
    return await runAll(folder, assets);
  } finally {
    await rm(folder, { recursive: true });
  }
}

process.exitCode = (await main()) ? 0 : 1;
