// The examples of RFC 5545, section 3.8.5.3, whose rules repeat daily or slower, as data: the rule, its start and its
// days, all at 9:00 in New York. `isComplete`: the rule gives no other days; otherwise the list is only its beginning.

interface Example {
  readonly title: string;
  readonly rule: string;
  readonly start: string;
  readonly days: readonly string[];
  readonly isComplete: boolean;
}

/** `1997-09 2,9 @10 7` is 2 and 9 September and 7 October 1997; `2-11` is a run of days. */
function parseDays(text: string): string[] {
  const days: string[] = [];
  let [year, month] = ['', ''];
  for (const word of text.split(/\s+/)) {
    const yearMonth = /^(\d{4})-(\d{2})$/.exec(word);
    const nextMonth = /^@(\d{2})$/.exec(word);
    if (yearMonth !== null) [year, month] = [yearMonth[1] ?? '', yearMonth[2] ?? ''];
    else if (nextMonth !== null) month = nextMonth[1] ?? '';
    else {
      for (const part of word.split(',')) {
        const [first = 0, last = first] = part.split('-').map(Number);
        for (let day = first; day <= last; day += 1) days.push(`${year}-${month}-${String(day).padStart(2, '0')}`);
      }
    }
  }
  return days;
}

const example =
  (isComplete: boolean) =>
  (title: string, rule: string, start: string, days: string): Example => ({
    title,
    rule,
    start,
    days: parseDays(days),
    isComplete,
  });
const complete = example(true);
const beginning = example(false);
const JANUARIES = '1998-01 1-31 1999-01 1-31 2000-01 1-31';

export const RFC_EXAMPLES: readonly Example[] = [
  complete('daily for 10 occurrences', 'FREQ=DAILY;COUNT=10', '1997-09-02', '1997-09 2-11'),
  complete(
    'daily until December 24, 1997',
    'FREQ=DAILY;UNTIL=19971224T000000Z',
    '1997-09-02',
    '1997-09 2-30 @10 1-31 @11 1-30 @12 1-23',
  ),
  beginning(
    'every other day',
    'FREQ=DAILY;INTERVAL=2',
    '1997-09-02',
    '1997-09 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30',
  ),
  complete('every 10 days, 5 times', 'FREQ=DAILY;INTERVAL=10;COUNT=5', '1997-09-02', '1997-09 2,12,22 @10 2,12'),
  complete(
    'every day in January, for 3 years, yearly',
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998-01-01',
    JANUARIES,
  ),
  complete(
    'every day in January, for 3 years, daily',
    'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    '1998-01-01',
    JANUARIES,
  ),
  complete('weekly, 10 times', 'FREQ=WEEKLY;COUNT=10', '1997-09-02', '1997-09 2,9,16,23,30 @10 7,14,21,28 @11 4'),
  complete(
    'weekly until December 24',
    'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    '1997-09-02',
    '1997-09 2,9,16,23,30 @10 7,14,21,28 @11 4,11,18,25 @12 2,9,16,23',
  ),
  beginning(
    'every other week',
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997-09-02',
    '1997-09 2,16,30 @10 14,28 @11 11,25 @12 9,23 1998-01 6,20 @02 3,17',
  ),
  complete(
    'Tuesday and Thursday for five weeks, by UNTIL',
    'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    '1997-09-02',
    '1997-09 2,4,9,11,16,18,23,25,30 @10 2',
  ),
  complete(
    'Tuesday and Thursday for five weeks, by COUNT',
    'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    '1997-09-02',
    '1997-09 2,4,9,11,16,18,23,25,30 @10 2',
  ),
  complete(
    'every other week on Monday, Wednesday and Friday',
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997-09-01',
    '1997-09 1,3,5,15,17,19,29 @10 1,3,13,15,17,27,29,31 @11 10,12,14,24,26,28 @12 8,10,12,22',
  ),
  complete(
    'every other week on Tuesday and Thursday, 8 times',
    'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
    '1997-09-02',
    '1997-09 2,4,16,18,30 @10 2,14,16',
  ),
  complete(
    'monthly on the first Friday, 10 times',
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997-09-05',
    '1997-09 5 @10 3 @11 7 @12 5 1998-01 2 @02 6 @03 6 @04 3 @05 1 @06 5',
  ),
  complete(
    'monthly on the first Friday until December 24',
    'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    '1997-09-05',
    '1997-09 5 @10 3 @11 7 @12 5',
  ),
  complete(
    'every other month on the first and last Sunday',
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997-09-07',
    '1997-09 7,28 @11 2,30 1998-01 4,25 @03 1,29 @05 3,31',
  ),
  complete(
    'monthly on the second-to-last Monday',
    'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    '1997-09-22',
    '1997-09 22 @10 20 @11 17 @12 22 1998-01 19 @02 16',
  ),
  beginning(
    'monthly on the third-to-the-last day',
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '1997-09-28',
    '1997-09 28 @10 29 @11 28 @12 29 1998-01 29 @02 26',
  ),
  complete(
    'monthly on the 2nd and 15th',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997-09-02',
    '1997-09 2,15 @10 2,15 @11 2,15 @12 2,15 1998-01 2,15',
  ),
  complete(
    'monthly on the first and last day',
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997-09-30',
    '1997-09 30 @10 1,31 @11 1,30 @12 1,31 1998-01 1,31 @02 1',
  ),
  complete(
    'every 18 months on the 10th thru 15th',
    'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    '1997-09-10',
    '1997-09 10-15 1999-03 10-13',
  ),
  beginning(
    'every Tuesday, every other month',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997-09-02',
    '1997-09 2,9,16,23,30 @11 4,11,18,25 1998-01 6,13,20,27 @03 3,10,17,24,31',
  ),
  complete(
    'yearly in June and July',
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997-06-10',
    '1997-06 10 @07 10 1998-06 10 @07 10 1999-06 10 @07 10 2000-06 10 @07 10 2001-06 10 @07 10',
  ),
  complete(
    'every other year in January, February and March',
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997-03-10',
    '1997-03 10 1999-01 10 @02 10 @03 10 2001-01 10 @02 10 @03 10 2003-01 10 @02 10 @03 10',
  ),
  complete(
    'every third year on the 1st, 100th and 200th day',
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997-01-01',
    '1997-01 1 @04 10 @07 19 2000-01 1 @04 9 @07 18 2003-01 1 @04 10 @07 19 2006-01 1',
  ),
  beginning(
    'every 20th Monday of the year',
    'FREQ=YEARLY;BYDAY=20MO',
    '1997-05-19',
    '1997-05 19 1998-05 18 1999-05 17',
  ),
  beginning(
    'Monday of week number 20',
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    '1997-05-12',
    '1997-05 12 1998-05 11 1999-05 17',
  ),
  beginning(
    'every Thursday in March',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    '1997-03-13',
    '1997-03 13,20,27 1998-03 5,12,19,26 1999-03 4,11,18,25',
  ),
  beginning(
    'every Thursday in June, July and August',
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997-06-05',
    '1997-06 5,12,19,26 @07 3,10,17,24,31 @08 7,14,21,28 1998-06 4,11,18,25 @07 2,9,16,23,30 @08 6,13,20,27',
  ),
  beginning(
    'every Friday the 13th',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    '1997-09-02',
    '1998-02 13 @03 13 @11 13 1999-08 13 2000-10 13',
  ),
  beginning(
    'the first Saturday that follows the first Sunday',
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997-09-13',
    '1997-09 13 @10 11 @11 8 @12 13 1998-01 10 @02 7 @03 7 @04 11 @05 9 @06 13',
  ),
  beginning(
    'U.S. Presidential Election day',
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05',
    '1996-11 5 2000-11 7 2004-11 2',
  ),
  complete(
    'the third of Tuesday, Wednesday or Thursday',
    'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
    '1997-09-04',
    '1997-09 4 @10 7 @11 6',
  ),
  beginning(
    'the second-to-last weekday of the month',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997-09-29',
    '1997-09 29 @10 30 @11 27 @12 30 1998-01 29 @02 26 @03 30',
  ),
  complete(
    'WKST=MO makes a difference',
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    '1997-08-05',
    '1997-08 5,10,19,24',
  ),
  complete(
    'WKST=SU makes a difference',
    'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    '1997-08-05',
    '1997-08 5,17,19,31',
  ),
  complete(
    'an invalid date (February 30) is ignored',
    'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
    '2007-01-15',
    '2007-01 15,30 @02 15 @03 15,30',
  ),
];
