import type { MutantResult } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind, type Plugin } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { describeChange, isSurvivor } from './score.ts';

/** Name under which Stryker's options refer to the reporter. */
const name = 'survivors';

/**
 * Prints each survivor at once, so that an interrupted run has results, and each change whose tests timed out, which
 * is not a result on a busy machine.
 */
class SurvivorReporter implements Reporter {
  onMutantTested(result: Readonly<MutantResult>): void {
    if (isSurvivor(result) || result.status === 'Timeout') console.log(describeChange(result));
  }
}

/** Stryker looks for this name in a plugin. */
export const strykerPlugins: readonly Plugin<PluginKind>[] = [
  declareClassPlugin(PluginKind.Reporter, name, SurvivorReporter),
];
