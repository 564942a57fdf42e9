import type { LoginResult } from './contract.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import type { AuthParts } from './parts.ts';
import type { RefreshToken } from './refresh-token.ts';

/** The answer to a login and to a refresh: a new access token beside the session's refresh token. */
export async function issueTokens(
  parts: AuthParts,
  refreshToken: RefreshToken,
  refreshSeconds: number,
  user: { id: number; username: string },
): Promise<LoginResult> {
  return {
    token: await parts.accessTokens.sign({ userId: user.id, sessionId: refreshToken.sessionId }),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken.text,
    refresh_expires_in: refreshSeconds,
    user,
  };
}
