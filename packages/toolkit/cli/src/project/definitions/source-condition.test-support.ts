/** Lets the processes of a test import the sources of Keelson: Jest resolves the imports of the test itself. */
export function useSourcesInProcesses(): void {
  process.env['NODE_OPTIONS'] = '--conditions=@keelson/source';
}
