#!/usr/bin/perl
# [base64 of a mail, …] on stdin → [{"score": 0.1, "hits": {"RULE": 0.1, …}}, …] on stdout, by the local rules alone.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use Mail::SpamAssassin;

my $judge = Mail::SpamAssassin->new({
    local_tests_only => 1,           # no DNS, no other server
    dont_copy_prefs => 1,
    userprefs_filename => "/dev/null",
    home_dir_for_helpers => $ARGV[0],
    userstate_dir => $ARGV[0],
    post_config_text => "use_bayes 0\nuse_auto_welcomelist 0\n",
});

local $/;
my @answers;
for my $mail (@{decode_json(<STDIN>)}) {
    my $status = $judge->check_message_text(decode_base64($mail));
    my $scores = $status->{conf}->{scores};
    my %hits = map { $_ => 0 + ($scores->{$_} // 1) } grep { $_ } split /,/, $status->get_names_of_tests_hit();
    push @answers, {score => 0 + $status->get_score(), hits => \%hits};
    $status->finish();
}
print encode_json(\@answers);
