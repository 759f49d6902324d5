import { found, type Check } from '../runner/check-runner.ts';

/** The oldest Node.js that runs TypeScript without an option, and that Keelson supports. */
const OLDEST = [22, 19] as const;

/** Checks the program that runs this command, which also runs the operator in `keelson dev`. */
export function runtimeCheck(versions: Readonly<Record<string, string | undefined>>): Check<never> {
  const cure = `install Node.js ${OLDEST.join('.')} or newer`;
  return {
    name: 'Node.js',
    cure,
    run: async () => {
      const { bun, node = '' } = versions;
      if (bun !== undefined) return found('failed', `Bun ${bun}`, cure);
      return isOld(node) ? found('failed', node, cure) : found('ok', node);
    },
  };
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
