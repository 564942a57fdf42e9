import { disableAccount, enableAccount, setRole } from '../accounts/administer.ts';
import { findAccountId } from '../accounts/find.ts';
import type { Config } from '../config.ts';
import { ROLES } from '../domain/account.ts';
import { Failure } from '../domain/failure.ts';
import { typed } from '../domain/installation.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { resetSecondFactors } from '../factors/reset.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { register } from '../registrations/register.ts';
import { newSetupLink } from '../setup/link.ts';
import type { Store } from '../store/store.ts';
import { addressForPeople } from './address-for-people.ts';
import { ask, askNewPassword, requireRules } from './ask.ts';
import { withStore } from './with-store.ts';

interface NewAdmin {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Makes an account with the role admin, and asks for what is not given. A server may run meanwhile. Fails with
 * OperatorError, or with the Failure of a broken rule.
 */
export async function createAdmin(
  config: Config,
  given: { username?: string; email?: string },
): Promise<void> {
  // The database is opened first, so that nobody types a password in vain.
  await withStore(config, async (store) => {
    const account = {
      username: given.username ?? (await ask('User name: ')),
      email: given.email ?? (await ask('E-mail: ')),
      password: await askNewPassword(),
    };
    requireRules(account);
    await registerAdmin(store, config, account);
    process.stdout.write(`The admin "${account.username}" can log in now.\n`);
  });
}

async function registerAdmin(store: Store, { passwordBlocklist }: Config, account: NewAdmin): Promise<void> {
  await using hashing = new HashingPool(1);
  try {
    await register({ store, hashing, clock: Date.now, passwordBlocklist }, account, null, 'admin');
  } catch (error) {
    throw error instanceof Failure && error.data.error === 'taken'
      ? await takenBy(store, account, error)
      : error;
  }
}

/**
 * Also says how to make the existing account an admin, because the person at the terminal may mean that one. Nobody may
 * have a name that is reserved or looks like another, or an address that an undo link holds: the failure is returned then.
 */
async function takenBy(
  store: Store,
  { username, email }: NewAdmin,
  failure: Failure,
): Promise<OperatorError | Failure> {
  const [what, value] =
    failure.data.fields?.[0]?.field === 'email' ? ['e-mail address', email] : ['user name', username];
  if ((await store.read(findAccountId, value)) === null) return failure;
  return new OperatorError(
    `There is an account with the ${what} "${value}" already. Choose another, or make that account an admin: ${typed(`admin role ${value} admin`)}`,
  );
}

/** Prints a link to the console that makes the first admin. Fails with OperatorError where there is one. */
export async function printSetupLink(config: Config): Promise<void> {
  if (!config.console)
    throw new OperatorError('The link leads to the console, which CONSOLE=off leaves out.');
  await withStore(config, async (store) => {
    const link = await newSetupLink(store, addressForPeople(config, config.port), Date.now());
    if (link === undefined)
      throw new OperatorError('There is an admin already, who can invite others or change their roles.');
    process.stdout.write(
      `Who opens this link becomes the first admin. It works once, within a day.\n${link}\n`,
    );
  });
}

/** `account` is a user name or an e-mail address. Running servers use the new role within a second. */
export async function giveRole(config: Config, account: string, name: string): Promise<void> {
  const role = ROLES.find((each) => each === name);
  if (!role) throw new OperatorError(`The role must be one of ${ROLES.join(', ')}, not "${name}".`);
  await withStore(config, (store) => store.write(setRole, { account, role, now: Date.now() }));
  process.stdout.write(`"${account}" has the role ${role} now.\n`);
}

/** Disables or enables an account, given by user name or e-mail address. */
export async function setDisabled(config: Config, account: string, disabled: boolean): Promise<void> {
  await withStore(config, (store) =>
    disabled
      ? store.write(disableAccount, { account, now: Date.now() })
      : store.write(enableAccount, { account, now: Date.now() }),
  );
  process.stdout.write(`"${account}" is ${disabled ? 'disabled' : 'enabled'} now.\n`);
}

/** Removes the second factors of an account, given by user name or e-mail address. */
export async function resetSecondFactor(config: Config, account: string): Promise<void> {
  const sendsMail = config.mail !== undefined;
  await withStore(config, (store) =>
    store.write(resetSecondFactors, { account, sendsMail, now: Date.now() }),
  );
  process.stdout.write(`"${account}" has no second factor now.\n`);
}
