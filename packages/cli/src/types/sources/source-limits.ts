/** Larger files and responses are refused. The largest public bundle of definitions has some 5 MB. */
export const MAX_SOURCE_BYTES: number = 32 * 1024 * 1024;
