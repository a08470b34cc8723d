/**
 * A missing or unusable setting. The message reports each bad setting on its own line, and no value that may be a
 * secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
