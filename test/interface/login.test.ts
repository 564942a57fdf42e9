import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { call, newAccount, newName, PASSWORD } from '../support/client.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

interfaceSuite('Logins', (base) => {
  const logIn = (username: string, password = PASSWORD) =>
    call(base.url, 'POST', '/api/auth/login', { body: { username, password } });

  it('A login answers with the tokens, and with a user of id and username only', async () => {
    const { id, username } = await newAccount(base.url);
    const { status, body } = await logIn(username);
    assert.equal(status, 200);
    const { token, refresh_token } = body.data;
    assert.deepEqual(body, {
      code: 200,
      data: {
        token,
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token,
        refresh_expires_in: 14 * 24 * 60 * 60,
        user: { id, username },
      },
    });
  });

  it('A login takes the user name or the e-mail address, each in any case', async () => {
    const { id, username, email } = await newAccount(base.url);
    for (const login of [username, username.toUpperCase(), email, email.toUpperCase()]) {
      const { body } = await logIn(login);
      assert.deepEqual(body.data.user, { id, username }, login);
    }
  });

  it('A login takes the user name in a compatible or decomposed spelling', async () => {
    const { id, username } = await newAccount(base.url, `fi\u00e9${newName('')}`);
    for (const spelling of [username.replace('fi', '\ufb01'), username.normalize('NFD')]) {
      assert.notEqual(spelling, username);
      assert.equal((await logIn(spelling)).body.data.user.id, id);
    }
  });

  it('A login takes the password composed or decomposed, and in no other case', async () => {
    const username = newName();
    const password = 'cr\u00e8me br\u00fbl\u00e9e';
    await call(base.url, 'POST', '/api/auth/register', {
      body: { username, email: `${username}@example.org`, password },
    });
    for (const same of [password, password.normalize('NFD')])
      assert.equal((await logIn(username, same)).status, 200);
    for (const other of [password.toUpperCase(), ` ${password}`, `${password} `, ''])
      assertFailure(await logIn(username, other), 401, 'bad_credentials');
  });

  it('A login answers an unknown name and a wrong password alike', async () => {
    const { username } = await newAccount(base.url);
    const [wrong, unknown] = await Promise.all([logIn(username, 'wrong password'), logIn(newName())]);
    assertFailure(wrong, 401, 'bad_credentials');
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer realm="/);
    // Ids of requests differ in length too.
    const ofOneRequest = ['x-request-id', 'content-length', 'date'];
    const seen = ({ headers, body }: typeof wrong) => ({
      body: { ...body, data: { ...body.data, request_id: '' } },
      headers: [...headers].filter(([name]) => !ofOneRequest.includes(name)),
    });
    assert.deepEqual(seen(wrong), seen(unknown));
  });

  it('The access token of a login opens what needs one', async () => {
    const { id, username, email, token } = await newAccount(base.url);
    const { body } = await call(base.url, 'GET', '/api/users/me', { token });
    const { created_at } = body.data;
    const factors = { email_verified: false, second_factor: false };
    assert.deepEqual(body.data, { id, username, email, role: 'member', ...factors, created_at });
  });

  it('The access token of a login can be verified with the published keys', async () => {
    const { id, token } = await newAccount(base.url);
    const keys = createRemoteJWKSet(new URL(`${base.url}/.well-known/jwks.json`));
    const { protectedHeader, payload } = await jwtVerify(token, keys);
    assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
    assert.equal(protectedHeader.alg, 'EdDSA');
    assert.equal(protectedHeader.typ, 'at+jwt');
    assert.deepEqual(Object.keys(payload).sort(), ['aud', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub']);
    assert.equal(payload.sub, String(id));
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 900);
  });

  it('The refresh token of a login is recognisable and has at least 256 random bits', async () => {
    const { refreshToken } = await newAccount(base.url);
    const [, secret] = /^stoa_rt_([\w-]+)$/.exec(refreshToken) ?? [];
    assert.ok(secret && Buffer.from(secret, 'base64url').length >= 32, refreshToken);
  });

  it('Each login begins a session of its own', async () => {
    const { username } = await newAccount(base.url);
    const [first, second] = await Promise.all([logIn(username), logIn(username)]);
    assert.notEqual(first.body.data.token, second.body.data.token);
    assert.notEqual(first.body.data.refresh_token, second.body.data.refresh_token);
  });

  it('A login ignores unknown members', async () => {
    const { id, username } = await newAccount(base.url);
    const { body } = await call(base.url, 'POST', '/api/auth/login', {
      body: { username, password: PASSWORD, email: 'x', id: 1, role: 'admin', expires_in: 1e9 },
    });
    assert.equal(body.data.user.id, id);
    assert.equal(body.data.expires_in, 900);
  });
});
