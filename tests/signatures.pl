#!/usr/bin/perl
# {"records": {NAME: TXT}, "mails": [base64 of a mail, …]} on stdin → [[result of each signature], …] on stdout,
# by Mail::DKIM, which SpamAssassin asks; the records stand for the DNS.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use Mail::DKIM::DNS;
use Mail::DKIM::Verifier;

local $/;
my $question = decode_json(<STDIN>);

{
    package Record;
    sub type { return 'TXT' }
    sub txtdata { return $_[0]->{text} }
    no warnings 'redefine';
    *Mail::DKIM::DNS::query = sub {
        my ($name) = @_;
        my $text = $question->{records}{$name};
        return defined $text ? bless({text => $text}, 'Record') : ();
    };
}

my @answers;
for my $mail (@{$question->{mails}}) {
    my $judge = Mail::DKIM::Verifier->new();
    $judge->PRINT(decode_base64($mail));
    $judge->CLOSE();
    push @answers, [map { $_->result } $judge->signatures];
}
print encode_json(\@answers);
