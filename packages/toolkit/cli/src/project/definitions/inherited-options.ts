/** Returns the Node.js options of this process for a child process, without those of its own inspector. */
export function inheritedOptions(): readonly string[] {
  return process.execArgv.filter((option) => !option.startsWith('--inspect'));
}
