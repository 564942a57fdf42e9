import { foldKey } from '../../src/domain/text.ts';

/** A row of an account, without its id (its place in the order, from 1). */
export interface AccountRow {
  readonly username: string;
  readonly username_key: string;
  readonly email: string;
  readonly email_key: string;
  readonly created_at: number;
}

const FIRST = words(`Aaron Abigail Ada Adam Aisha Alan Albert Alice Amara Amir Ana Andrea Anna Anton Ariel
  Arthur Astrid Ben Bianca Boris Bruno Carla Carmen Chen Chloe Clara Dana Daniel Daria David Diana Diego
  Dora Edith Elena Elias Ella Emil Emma Erik Esra Eva Farid Fatima Felix Finn Flora Frank Freya Gabriel
  Georg Gina Grace Greta Hana Hannah Hans Hugo Ida Igor Ines Ingrid Irene Ivan Jack Jamal James Jan Jana
  Jasmin Joan John Jonas Jorge Julia Kai Karin Karl Kofi Lars Laura Lea Leon Lina Louis Lucas Lucy Luis
  Maja Marco Maria Marta Max Maya Mei Mia Milan Mina Mona Nadia Nina Noah Nora Olga Oscar Otto Paul Paula
  Petra Rafael Rosa Ruth Sam Sara Simon Sofia Tara Theo Tom Uma Vera Viktor Yara Yusuf Zoe`);
const LAST = words(`Adams Ahmed Alvarez Andersen Bailey Baker Barros Becker Berg Bianchi Blanc Bloom Braun
  Brown Cabral Campos Carter Castro Chang Clark Cohen Costa Cruz Dahl Davis Diaz Doyle Dubois Eriksen
  Evans Fabre Fischer Flores Foster Fuchs Garcia Gomez Gray Green Haas Hall Hansen Harris Hayes Hill
  Hoffman Holm Hughes Ito Ivanov Jansen Jensen Johnson Jones Kaya Keller Khan Kim King Klein Koch Kowalski
  Kumar Lang Larsen Lee Lehmann Lewis Lopez Maier Marino Martin Mendez Meyer Miller Moore Mori Mueller
  Murphy Nguyen Nielsen Novak Okafor Olsen Ortiz Osei Park Patel Perez Petrov Pinto Ramos Reed Reyes Rivera
  Rossi Roth Russo Sanchez Santos Sato Schmidt Silva Singh Smith Sousa Stein Suzuki Tanaka Taylor Thomas
  Torres Tran Vargas Vogel Wagner Walker Wang Weber White Wilson Wolf Wood Wright Yamada Yilmaz Young Zhang`);
const DOMAINS = words(`mail.example post.example inbox.example company.example school.example web.example
  mail.test letters.test office.test home.test garden.test harbour.test`);
/** Has no common factor with any count of accounts in use, so that neighbouring accounts have different names. */
const STEP = 618_033_989;
const SINCE = Date.UTC(2024, 0, 1);

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Distinct accounts with realistic names, the same in every run. */
export function* accounts(count: number): Generator<AccountRow> {
  for (let index = 0; index < count; index++) {
    const place = (index * STEP) % count;
    const first = FIRST[place % FIRST.length] ?? '';
    const last = LAST[Math.floor(place / FIRST.length) % LAST.length] ?? '';
    const number = Math.floor(place / (FIRST.length * LAST.length));
    const suffix = number === 0 ? '' : String(number + 1);
    const separator = ['.', '_', '', '-'][place % 4] ?? '';
    const username = `${first}${separator}${last}`.slice(0, 20 - suffix.length) + suffix;
    const email = `${first}.${last}${suffix}@${DOMAINS[(place * 7) % DOMAINS.length]}`.toLowerCase();
    yield {
      username,
      username_key: foldKey(username),
      email,
      email_key: foldKey(email),
      created_at: SINCE + index * 60_000,
    };
  }
}
