/** Lets the processes of a test import the sources of Keelson: Jest resolves the imports of the test itself. */
export function useSourcesInProcesses(): void {
  const { NODE_OPTIONS: options = '' } = process.env;
  process.env['NODE_OPTIONS'] = `${options} --conditions=@keelson/source`;
}
